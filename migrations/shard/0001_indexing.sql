CREATE TABLE `index_failures` (
	`team_id` text NOT NULL,
	`stage` text NOT NULL,
	`space` text NOT NULL,
	`memory_id` text NOT NULL,
	`version` integer NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`code` text NOT NULL,
	PRIMARY KEY(`team_id`, `stage`, `space`, `memory_id`),
	FOREIGN KEY (`team_id`,`memory_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `index_failures_due` ON `index_failures` (`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `index_failures_memory` ON `index_failures` (`team_id`,`memory_id`);--> statement-breakpoint
CREATE TABLE `index_progress` (
	`team_id` text NOT NULL,
	`stage` text NOT NULL,
	`space` text NOT NULL,
	`cursor` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`not_before` integer DEFAULT 0 NOT NULL,
	`error` text,
	`lease` text,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`started_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`team_id`, `stage`, `space`)
);
--> statement-breakpoint
CREATE TABLE `serving_spaces` (
	`team_id` text PRIMARY KEY NOT NULL,
	`space` text NOT NULL,
	`since` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `vector_cache` (
	`team_id` text NOT NULL,
	`space` text NOT NULL,
	`hash` text NOT NULL,
	`vector` blob NOT NULL,
	PRIMARY KEY(`team_id`, `space`, `hash`)
);
--> statement-breakpoint
CREATE TABLE `vector_items` (
	`team_id` text NOT NULL,
	`space` text NOT NULL,
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`hash` text,
	`version` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`team_id`, `kind`, `id`, `space`)
);
--> statement-breakpoint
CREATE INDEX `vector_items_hash` ON `vector_items` (`team_id`,`space`,`hash`);--> statement-breakpoint
CREATE INDEX `vector_items_doomed` ON `vector_items` (`team_id`,`space`) WHERE hash IS NULL;