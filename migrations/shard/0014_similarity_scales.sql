CREATE TABLE `similarity_scales` (
	`team_id` text NOT NULL,
	`space` text NOT NULL,
	`unrelated` real,
	`related` real,
	`pairs` integer,
	`made_at` integer NOT NULL,
	`due_from` integer NOT NULL,
	PRIMARY KEY(`team_id`, `space`)
);
