CREATE TABLE `link_changes` (
	`team_id` text NOT NULL,
	`run_id` text NOT NULL,
	`source_id` text NOT NULL,
	`target_id` text NOT NULL,
	`type` text NOT NULL,
	`before` text NOT NULL,
	`after` real,
	`undone_at` integer,
	PRIMARY KEY(`team_id`, `run_id`, `source_id`, `target_id`, `type`),
	FOREIGN KEY (`team_id`,`source_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`team_id`,`target_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `link_changes_source` ON `link_changes` (`team_id`,`source_id`,`target_id`,`type`);--> statement-breakpoint
CREATE INDEX `link_changes_target` ON `link_changes` (`team_id`,`target_id`);--> statement-breakpoint
ALTER TABLE `memory_links` ADD `made_by` text DEFAULT 'said' NOT NULL;--> statement-breakpoint
ALTER TABLE `memory_links` ADD `base` real;--> statement-breakpoint
CREATE INDEX `memory_links_derived` ON `memory_links` (`team_id`,`source_id`,`target_id`,`type`) WHERE made_by IN ('rule', 'model');