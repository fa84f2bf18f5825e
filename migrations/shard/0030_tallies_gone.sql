-- Two migrations were in use for an hour and then withdrawn: what they made went on counting at every write, for nobody.
DROP TRIGGER IF EXISTS `memory_tallied`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `memory_untallied`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `memory_retallied`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `tags_tallied`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `tags_untallied`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `tags_retallied`;
--> statement-breakpoint
DROP TABLE IF EXISTS `memory_tallies`;
--> statement-breakpoint
DROP TABLE IF EXISTS `tag_tallies`;
--> statement-breakpoint
DROP INDEX IF EXISTS `memories_expiring`;
