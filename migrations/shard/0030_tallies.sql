CREATE TABLE `memory_tallies` (
	`team_id` text NOT NULL,
	`home` text NOT NULL,
	`archived` integer NOT NULL,
	`visibility` text NOT NULL,
	`namespace` text NOT NULL,
	`type` text NOT NULL,
	`agent_id` text NOT NULL,
	`run_id` text NOT NULL,
	`memories` integer NOT NULL,
	`normal` integer NOT NULL,
	`versions` integer NOT NULL,
	`bytes` integer NOT NULL,
	`characters` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`team_id`, `home`, `archived`, `visibility`, `namespace`, `type`, `agent_id`, `run_id`)
);
--> statement-breakpoint
CREATE TABLE `tag_tallies` (
	`team_id` text NOT NULL,
	`home` text NOT NULL,
	`tag` text NOT NULL,
	`memories` integer NOT NULL,
	PRIMARY KEY(`team_id`, `home`, `tag`)
);
--> statement-breakpoint
CREATE INDEX `memories_expiring` ON `memories` (`team_id`,`expires_at`) WHERE expires_at IS NOT NULL;