DROP INDEX `proposals_version`;--> statement-breakpoint
DROP INDEX `proposals_pending`;--> statement-breakpoint
ALTER TABLE `proposals` ADD `proposed` text;--> statement-breakpoint
ALTER TABLE `proposals` ADD `data_key` integer;--> statement-breakpoint
ALTER TABLE `proposals` ADD `links` text;--> statement-breakpoint
CREATE INDEX `proposals_memory` ON `proposals` (`team_id`,`memory_id`);--> statement-breakpoint
CREATE INDEX `proposals_secret` ON `proposals` (`team_id`,`data_key`) WHERE data_key IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `proposals_pending` ON `proposals` (`team_id`,`memory_id`,`proposed_by`) WHERE state = 'pending';