CREATE TABLE `entities` (
	`row` integer PRIMARY KEY NOT NULL,
	`team_id` text NOT NULL,
	`home` text NOT NULL,
	`entity` text NOT NULL,
	`norm` text NOT NULL,
	`name` text NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`mentions` integer DEFAULT 0 NOT NULL,
	`weight` integer DEFAULT 0 NOT NULL,
	`lasting` integer DEFAULT 0 NOT NULL,
	`until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `entities_name` ON `entities` (`team_id`,`entity`,`home`,`name`);--> statement-breakpoint
CREATE INDEX `entities_norm` ON `entities` (`team_id`,`norm`,`home`);--> statement-breakpoint
CREATE INDEX `entities_id` ON `entities` (`team_id`,`id`);--> statement-breakpoint
CREATE TABLE `entity_mentions` (
	`team_id` text NOT NULL,
	`memory_id` text NOT NULL,
	`entity_row` integer NOT NULL,
	`confidence` real NOT NULL,
	`expires_at` integer,
	PRIMARY KEY(`team_id`, `memory_id`, `entity_row`),
	FOREIGN KEY (`entity_row`) REFERENCES `entities`(`row`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`team_id`,`memory_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `entity_mentions_row` ON `entity_mentions` (`entity_row`,`memory_id`,`expires_at`);--> statement-breakpoint
CREATE TABLE `entity_tokens` (
	`team_id` text NOT NULL,
	`token` text NOT NULL,
	`home` text NOT NULL,
	`share` real NOT NULL,
	`row` integer NOT NULL,
	PRIMARY KEY(`team_id`, `token`, `home`, `share`, `row`),
	FOREIGN KEY (`row`) REFERENCES `entities`(`row`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `entity_tokens_row` ON `entity_tokens` (`row`,`token`,`share`);--> statement-breakpoint
CREATE TABLE `graph_outbox` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`team_id` text NOT NULL,
	`kind` text NOT NULL,
	`id` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `graph_outbox_document` ON `graph_outbox` (`team_id`,`kind`,`id`);--> statement-breakpoint
CREATE INDEX `graph_outbox_team` ON `graph_outbox` (`team_id`,`seq`);--> statement-breakpoint
CREATE TABLE `memory_links` (
	`team_id` text NOT NULL,
	`source_id` text NOT NULL,
	`target_id` text NOT NULL,
	`type` text NOT NULL,
	`strength` real NOT NULL,
	`reason` text NOT NULL,
	`origin` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text,
	PRIMARY KEY(`team_id`, `source_id`, `target_id`, `type`),
	FOREIGN KEY (`team_id`,`source_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`team_id`,`target_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `memory_links_target` ON `memory_links` (`team_id`,`target_id`);--> statement-breakpoint
CREATE TABLE `memory_references` (
	`team_id` text NOT NULL,
	`name` text NOT NULL,
	`memory_id` text NOT NULL,
	PRIMARY KEY(`team_id`, `name`, `memory_id`),
	FOREIGN KEY (`team_id`,`memory_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `memory_references_memory` ON `memory_references` (`team_id`,`memory_id`);--> statement-breakpoint
CREATE TABLE `relationship_mentions` (
	`team_id` text NOT NULL,
	`memory_id` text NOT NULL,
	`relationship_row` integer NOT NULL,
	`source_name` text NOT NULL,
	`target_name` text NOT NULL,
	`context` text,
	`valid_from` integer,
	`valid_to` integer,
	`confidence` real NOT NULL,
	`expires_at` integer,
	PRIMARY KEY(`team_id`, `memory_id`, `relationship_row`),
	FOREIGN KEY (`relationship_row`) REFERENCES `relationships`(`row`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`team_id`,`memory_id`) REFERENCES `memories`(`team_id`,`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `relationship_mentions_row` ON `relationship_mentions` (`relationship_row`,`memory_id`);--> statement-breakpoint
CREATE TABLE `relationship_tokens` (
	`team_id` text NOT NULL,
	`token` text NOT NULL,
	`home` text NOT NULL,
	`share` real NOT NULL,
	`row` integer NOT NULL,
	PRIMARY KEY(`team_id`, `token`, `home`, `share`, `row`),
	FOREIGN KEY (`row`) REFERENCES `relationships`(`row`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `relationship_tokens_row` ON `relationship_tokens` (`row`,`token`,`share`);--> statement-breakpoint
CREATE TABLE `relationships` (
	`row` integer PRIMARY KEY NOT NULL,
	`team_id` text NOT NULL,
	`home` text NOT NULL,
	`source` text NOT NULL,
	`type` text NOT NULL,
	`target` text NOT NULL,
	`id` text NOT NULL,
	`mentions` integer DEFAULT 0 NOT NULL,
	`weight` integer DEFAULT 0 NOT NULL,
	`lasting` integer DEFAULT 0 NOT NULL,
	`until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `relationships_source` ON `relationships` (`team_id`,`source`,`home`,`type`,`target`);--> statement-breakpoint
CREATE INDEX `relationships_target` ON `relationships` (`team_id`,`target`,`home`);--> statement-breakpoint
CREATE INDEX `relationships_id` ON `relationships` (`team_id`,`id`);