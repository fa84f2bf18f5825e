ALTER TABLE `memories` ADD `citations` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
CREATE INDEX `memories_quarantined` ON `memories` (`team_id`,`id`) WHERE quarantine IS NOT NULL;--> statement-breakpoint
CREATE INDEX `memories_citing` ON `memories` (`team_id`,`id`) WHERE citations <> '[]' AND sensitivity = 'normal';--> statement-breakpoint
CREATE INDEX `memories_superseded` ON `memories` (`team_id`,`id`) WHERE superseded_by IS NOT NULL AND archived_at IS NULL;--> statement-breakpoint
CREATE INDEX `memory_links_contradicting` ON `memory_links` (`team_id`,`source_id`) WHERE type = 'contradicts';