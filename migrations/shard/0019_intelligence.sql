CREATE TABLE `intelligence_settings` (
	`team_id` text PRIMARY KEY NOT NULL,
	`provider` text DEFAULT 'deployment' NOT NULL,
	`extraction_prompt` text,
	`update_prompt` text,
	`daily_tokens` integer
);
--> statement-breakpoint
CREATE TABLE `intelligence_usage` (
	`team_id` text NOT NULL,
	`day` text NOT NULL,
	`model` text NOT NULL,
	`calls` integer DEFAULT 0 NOT NULL,
	`input_tokens` integer DEFAULT 0 NOT NULL,
	`output_tokens` integer DEFAULT 0 NOT NULL,
	`reserved_tokens` integer DEFAULT 0 NOT NULL,
	`cost_micros` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`team_id`, `day`, `model`)
);
--> statement-breakpoint
CREATE TABLE `curator_runs` (
	`team_id` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`is_dry` integer NOT NULL,
	`requested_by` text NOT NULL,
	`requested_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	`cursor` text NOT NULL,
	`counts` text NOT NULL,
	`is_cut` integer DEFAULT false NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`error` text,
	PRIMARY KEY(`team_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `curator_runs_open` ON `curator_runs` (`team_id`,`kind`) WHERE state IN ('waiting', 'running');--> statement-breakpoint
CREATE INDEX `curator_runs_age` ON `curator_runs` (`team_id`,`kind`,`requested_at`);--> statement-breakpoint
ALTER TABLE `memories` ADD `superseded_reason` text;--> statement-breakpoint
ALTER TABLE `memories` ADD `enrichment` text;--> statement-breakpoint
ALTER TABLE `team_policies` ADD `evolution_policy` text DEFAULT 'on' NOT NULL;