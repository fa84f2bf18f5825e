CREATE TABLE `former_ids` (
	`team_id` text NOT NULL,
	`former_id` text NOT NULL,
	`memory_id` text NOT NULL,
	PRIMARY KEY(`team_id`, `former_id`, `memory_id`),
	FOREIGN KEY (`team_id`,`memory_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `former_ids_memory` ON `former_ids` (`team_id`,`memory_id`);--> statement-breakpoint
CREATE TABLE `vector_checks` (
	`team_id` text NOT NULL,
	`stage` text NOT NULL,
	`space` text NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`team_id`, `stage`, `space`)
);
--> statement-breakpoint
ALTER TABLE `vector_items` ADD `missed_at` integer;--> statement-breakpoint
CREATE INDEX `vector_items_missed` ON `vector_items` (`team_id`,`space`,`missed_at`) WHERE missed_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `memories_id` ON `memories` (`id`);