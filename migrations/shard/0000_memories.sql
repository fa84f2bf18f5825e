CREATE TABLE `counters` (
	`team_id` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `idempotency` (
	`team_id` text NOT NULL,
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`memory_id` text NOT NULL,
	`version` integer NOT NULL,
	`outcome` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`team_id`, `user_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_age` ON `idempotency` (`created_at`);--> statement-breakpoint
CREATE TABLE `memories` (
	`team_id` text NOT NULL,
	`id` text NOT NULL,
	`alias` integer NOT NULL,
	`seq` integer NOT NULL,
	`version` integer NOT NULL,
	`home` text NOT NULL,
	`key` text,
	`content` text NOT NULL,
	`value` text,
	`summary` text,
	`namespace` text NOT NULL,
	`visibility` text NOT NULL,
	`owner_id` text NOT NULL,
	`agent_id` text,
	`run_id` text,
	`type` text NOT NULL,
	`importance` real NOT NULL,
	`confidence` real NOT NULL,
	`tags` text NOT NULL,
	`keywords` text NOT NULL,
	`metadata` text NOT NULL,
	`related_files` text NOT NULL,
	`sensitivity` text NOT NULL,
	`trust` text NOT NULL,
	`tier` text NOT NULL,
	`compressed` text,
	`compression_ratio` real,
	`occurred_at` integer,
	`valid_from` integer,
	`valid_to` integer,
	`expires_at` integer,
	`archived_at` integer,
	`superseded_by` text,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_tool` text NOT NULL,
	`updated_at` integer NOT NULL,
	`updated_by` text NOT NULL,
	`updated_tool` text NOT NULL,
	`access_count` integer DEFAULT 0 NOT NULL,
	`accessed_at` integer,
	PRIMARY KEY(`team_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `memories_key` ON `memories` (`team_id`,`home`,`namespace`,`key`) WHERE key IS NOT NULL AND archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `memories_by_key` ON `memories` (`team_id`,`key`);--> statement-breakpoint
CREATE UNIQUE INDEX `memories_alias` ON `memories` (`team_id`,`alias`);--> statement-breakpoint
CREATE UNIQUE INDEX `memories_seq` ON `memories` (`team_id`,`seq`);--> statement-breakpoint
CREATE INDEX `memories_expiry` ON `memories` (`expires_at`) WHERE expires_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`team_id` text NOT NULL,
	`user_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`tool` text NOT NULL,
	`action` text NOT NULL,
	`memory_id` text,
	`count` integer NOT NULL,
	`request_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_team` ON `audit` (`team_id`,`at`);--> statement-breakpoint
CREATE TABLE `memory_tags` (
	`team_id` text NOT NULL,
	`tag` text NOT NULL,
	`memory_id` text NOT NULL,
	PRIMARY KEY(`team_id`, `tag`, `memory_id`),
	FOREIGN KEY (`team_id`,`memory_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `memory_tags_memory` ON `memory_tags` (`team_id`,`memory_id`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`team_id` text NOT NULL,
	`seq` integer NOT NULL,
	`memory_id` text NOT NULL,
	`op` text NOT NULL,
	`is_public` integer NOT NULL,
	`swept` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`team_id`, `seq`)
);
--> statement-breakpoint
CREATE TABLE `versions` (
	`team_id` text NOT NULL,
	`memory_id` text NOT NULL,
	`version` integer NOT NULL,
	`prev_version` integer,
	`at` integer NOT NULL,
	`actor_id` text NOT NULL,
	`tool` text NOT NULL,
	`action` text NOT NULL,
	`request_id` text NOT NULL,
	`state` text NOT NULL,
	PRIMARY KEY(`team_id`, `memory_id`, `version`),
	FOREIGN KEY (`team_id`,`memory_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`team_id`,`memory_id`,`prev_version`) REFERENCES `versions`(`team_id`,`memory_id`,`version`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `versions_at` ON `versions` (`team_id`,`at`);