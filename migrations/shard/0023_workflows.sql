CREATE TABLE `workflow_counts` (
	`team_id` text NOT NULL,
	`user_id` text NOT NULL,
	`project` text NOT NULL,
	`context` text NOT NULL,
	`action` text NOT NULL,
	`count` integer NOT NULL,
	`successes` integer NOT NULL,
	`timed` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	PRIMARY KEY(`team_id`, `user_id`, `project`, `context`, `action`)
);
--> statement-breakpoint
CREATE INDEX `workflow_counts_patterns` ON `workflow_counts` (`team_id`,`user_id`,`project`,`count`) WHERE context <> '' AND count >= 3;--> statement-breakpoint
CREATE TABLE `workflow_steps` (
	`team_id` text NOT NULL,
	`user_id` text NOT NULL,
	`project` text NOT NULL,
	`number` integer NOT NULL,
	`thread` text NOT NULL,
	`tool` text NOT NULL,
	`at` integer NOT NULL,
	`action` text NOT NULL,
	`command` text NOT NULL,
	`success` integer NOT NULL,
	`duration_ms` integer,
	`idempotency_key` text,
	`trail` text NOT NULL,
	PRIMARY KEY(`team_id`, `user_id`, `project`, `number`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workflow_steps_key` ON `workflow_steps` (`team_id`,`user_id`,`idempotency_key`) WHERE idempotency_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `workflow_steps_thread` ON `workflow_steps` (`team_id`,`user_id`,`project`,`thread`,`number`);--> statement-breakpoint
CREATE INDEX `workflow_steps_action` ON `workflow_steps` (`team_id`,`user_id`,`action`);