CREATE TABLE `prevention` (
	`team_id` text NOT NULL,
	`user_id` text NOT NULL,
	`period` text NOT NULL,
	`start` integer NOT NULL,
	`operation` text NOT NULL,
	`calls` integer DEFAULT 0 NOT NULL,
	`prevented_calls` integer DEFAULT 0 NOT NULL,
	`baseline_tokens` integer DEFAULT 0 NOT NULL,
	`actual_tokens` integer DEFAULT 0 NOT NULL,
	`prevented_tokens` integer DEFAULT 0 NOT NULL,
	`percent_sum` real DEFAULT 0 NOT NULL,
	`baseline_calls` integer DEFAULT 0 NOT NULL,
	`l1_hits` integer DEFAULT 0 NOT NULL,
	`l2_hits` integer DEFAULT 0 NOT NULL,
	`cache_misses` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`team_id`, `user_id`, `period`, `start`, `operation`)
);
--> statement-breakpoint
CREATE INDEX `prevention_age` ON `prevention` (`period`,`start`);--> statement-breakpoint
CREATE INDEX `prevention_user` ON `prevention` (`user_id`);