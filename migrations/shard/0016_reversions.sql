CREATE TABLE `reversions` (
	`team_id` text NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`tool` text NOT NULL,
	`at` integer NOT NULL,
	`selection` text NOT NULL,
	`memories` integer NOT NULL,
	PRIMARY KEY(`team_id`, `id`)
);
--> statement-breakpoint
CREATE TABLE `reverted_memories` (
	`team_id` text NOT NULL,
	`reversion_id` text NOT NULL,
	`memory_id` text NOT NULL,
	`before_version` integer NOT NULL,
	`after_version` integer NOT NULL,
	`restored_version` integer,
	`undo_version` integer,
	PRIMARY KEY(`team_id`, `reversion_id`, `memory_id`),
	FOREIGN KEY (`team_id`,`reversion_id`) REFERENCES `reversions`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`team_id`,`memory_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `reverted_memories_memory` ON `reverted_memories` (`team_id`,`memory_id`);