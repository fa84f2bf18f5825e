CREATE TABLE `proposals` (
	`team_id` text NOT NULL,
	`id` text NOT NULL,
	`memory_id` text NOT NULL,
	`version` integer NOT NULL,
	`visibility` text NOT NULL,
	`proposed_by` text NOT NULL,
	`proposed_at` integer NOT NULL,
	`tool` text NOT NULL,
	`state` text NOT NULL,
	`decided_by` text,
	`decided_at` integer,
	PRIMARY KEY(`team_id`, `id`),
	FOREIGN KEY (`team_id`,`memory_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `proposals_pending` ON `proposals` (`team_id`,`memory_id`) WHERE state = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX `proposals_version` ON `proposals` (`team_id`,`memory_id`,`version`,`visibility`);--> statement-breakpoint
CREATE TABLE `team_policies` (
	`team_id` text PRIMARY KEY NOT NULL,
	`review_required` integer DEFAULT false NOT NULL,
	`closed_at` integer
);
