CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`rule` text NOT NULL,
	`team_id` text,
	`subject` text NOT NULL,
	`value` text NOT NULL,
	`at` integer NOT NULL,
	`details` text NOT NULL,
	`created_at` integer NOT NULL,
	`acknowledged_at` integer,
	`acknowledged_by` text
);
--> statement-breakpoint
CREATE INDEX `alerts_team` ON `alerts` (`team_id`,`id`);--> statement-breakpoint
CREATE INDEX `alerts_subject` ON `alerts` (`subject`,`at`);--> statement-breakpoint
CREATE TABLE `audit_progress` (
	`source` text PRIMARY KEY NOT NULL,
	`last_id` integer NOT NULL,
	`window_id` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `audit` ADD `country` text;--> statement-breakpoint
ALTER TABLE `audit` ADD `credential_id` text;--> statement-breakpoint
CREATE INDEX `audit_subject` ON `audit` (`subject`,`at`);