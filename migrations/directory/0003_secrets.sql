CREATE TABLE `team_keys` (
	`team_id` text NOT NULL,
	`number` integer NOT NULL,
	`master_id` text NOT NULL,
	`wrapped` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`team_id`, `number`),
	FOREIGN KEY (`team_id`) REFERENCES `teams`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `team_keys_master` ON `team_keys` (`master_id`);