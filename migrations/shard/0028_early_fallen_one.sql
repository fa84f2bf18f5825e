CREATE TABLE `job_pieces` (
	`team_id` text NOT NULL,
	`job_id` text NOT NULL,
	`number` integer NOT NULL,
	`user_id` text NOT NULL,
	`at` integer NOT NULL,
	`ids` text NOT NULL,
	`data_key` integer NOT NULL,
	`sealed` text NOT NULL,
	PRIMARY KEY(`team_id`, `job_id`, `number`)
);
--> statement-breakpoint
CREATE INDEX `job_pieces_at` ON `job_pieces` (`at`);--> statement-breakpoint
CREATE INDEX `job_pieces_key` ON `job_pieces` (`team_id`,`data_key`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`team_id` text NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`options` text NOT NULL,
	`credential` text NOT NULL,
	`scopes` text NOT NULL,
	`tool` text NOT NULL,
	`requested_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	`done` integer DEFAULT 0 NOT NULL,
	`total` integer,
	`counts` text NOT NULL,
	`failed` text NOT NULL,
	`cursor` text NOT NULL,
	`leased_until` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`error` text,
	PRIMARY KEY(`team_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `jobs_of_person` ON `jobs` (`team_id`,`user_id`,`requested_at`);--> statement-breakpoint
CREATE INDEX `jobs_open` ON `jobs` (`leased_until`) WHERE state IN ('waiting', 'running');--> statement-breakpoint
CREATE INDEX `jobs_ended` ON `jobs` (`ended_at`) WHERE ended_at IS NOT NULL;