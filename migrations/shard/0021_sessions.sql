CREATE TABLE `session_migrations` (
	`team_id` text NOT NULL,
	`id` text NOT NULL,
	`session_id` text NOT NULL,
	`user_id` text NOT NULL,
	`from_tool` text,
	`to_tool` text NOT NULL,
	`at` integer NOT NULL,
	`passport_used` integer NOT NULL,
	`success` integer NOT NULL,
	`error` text,
	PRIMARY KEY(`team_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `session_migrations_user` ON `session_migrations` (`team_id`,`user_id`,`session_id`);--> statement-breakpoint
CREATE TABLE `session_turns` (
	`team_id` text NOT NULL,
	`session_id` text NOT NULL,
	`seq` integer NOT NULL,
	`id` text NOT NULL,
	`role` text NOT NULL,
	`name` text,
	`at` integer NOT NULL,
	`content` text NOT NULL,
	`compressed` text,
	`summary` text,
	PRIMARY KEY(`team_id`, `session_id`, `seq`),
	FOREIGN KEY (`team_id`,`session_id`) REFERENCES `work_sessions`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `session_turns_id` ON `session_turns` (`team_id`,`session_id`,`id`);--> statement-breakpoint
CREATE TABLE `work_sessions` (
	`team_id` text NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`project` text NOT NULL,
	`workspace_path` text,
	`original_tool` text NOT NULL,
	`tool` text NOT NULL,
	`created_at` integer NOT NULL,
	`active_at` integer NOT NULL,
	`ended_at` integer,
	`migrations` integer DEFAULT 0 NOT NULL,
	`exports` integer DEFAULT 0 NOT NULL,
	`trace` text NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`team_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `work_sessions_open` ON `work_sessions` (`team_id`,`user_id`,`project`,`tool`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `work_sessions_active` ON `work_sessions` (`team_id`,`user_id`,`active_at`);