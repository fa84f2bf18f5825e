-- Erased means gone: with the memory goes the hash of its text, in the same transaction, whoever erases it. The row stays
-- as a note that the vector index must let go of it.
CREATE TRIGGER `vector_items_of_erased` AFTER DELETE ON `memories` BEGIN
	UPDATE `vector_items` SET `hash` = NULL WHERE `team_id` = OLD.`team_id` AND `kind` = 'memory' AND `id` = OLD.`id`;
END;
--> statement-breakpoint
-- A cached vector stays only as long as something refers to its text.
CREATE TRIGGER `vector_cache_unused` AFTER UPDATE OF `hash` ON `vector_items` WHEN OLD.`hash` IS NOT NULL AND OLD.`hash` IS NOT NEW.`hash` BEGIN
	DELETE FROM `vector_cache` WHERE `team_id` = OLD.`team_id` AND `space` = OLD.`space` AND `hash` = OLD.`hash`
		AND NOT EXISTS (SELECT 1 FROM `vector_items` o WHERE o.`team_id` = OLD.`team_id` AND o.`space` = OLD.`space` AND o.`hash` = OLD.`hash`);
END;
--> statement-breakpoint
CREATE TRIGGER `vector_cache_dropped` AFTER DELETE ON `vector_items` WHEN OLD.`hash` IS NOT NULL BEGIN
	DELETE FROM `vector_cache` WHERE `team_id` = OLD.`team_id` AND `space` = OLD.`space` AND `hash` = OLD.`hash`
		AND NOT EXISTS (SELECT 1 FROM `vector_items` o WHERE o.`team_id` = OLD.`team_id` AND o.`space` = OLD.`space` AND o.`hash` = OLD.`hash`);
END;
