ALTER TABLE `memories` ADD `data_key` integer;--> statement-breakpoint
CREATE INDEX `memories_secret` ON `memories` (`team_id`,`data_key`) WHERE sensitivity = 'secret';--> statement-breakpoint
ALTER TABLE `versions` ADD `data_key` integer;--> statement-breakpoint
CREATE INDEX `versions_secret` ON `versions` (`team_id`,`data_key`) WHERE data_key IS NOT NULL;