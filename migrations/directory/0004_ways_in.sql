CREATE INDEX `invitations_expiry` ON `invitations` (`expires_at`);--> statement-breakpoint
CREATE INDEX `invitations_used` ON `invitations` (`used_at`);--> statement-breakpoint
CREATE INDEX `sign_in_links_used` ON `sign_in_links` (`used_at`);