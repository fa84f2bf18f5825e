ALTER TABLE `team_policies` ADD `curator_paused_at` integer;--> statement-breakpoint
ALTER TABLE `team_policies` ADD `curator_paused_by` text;