ALTER TABLE `memories` ADD `quarantine` text;--> statement-breakpoint
ALTER TABLE `team_policies` ADD `secret_policy` text DEFAULT 'mask' NOT NULL;--> statement-breakpoint
ALTER TABLE `team_policies` ADD `instruction_policy` text DEFAULT 'quarantine' NOT NULL;