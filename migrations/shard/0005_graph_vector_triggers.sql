-- Erased means gone, here too: what an erased memory alone named, and what it was among those that said, loses its vector in
-- the same transaction. Before, because what nothing mentions any more is gone after. A new version keeps the vectors of
-- what it says again: there the memory still exists, and the stage that follows the graph sees to the rest.
CREATE TRIGGER `entity_vectors_of_erased` BEFORE DELETE ON `entity_mentions`
	WHEN NOT EXISTS (SELECT 1 FROM `memories` m WHERE m.`team_id` = OLD.`team_id` AND m.`id` = OLD.`memory_id`) BEGIN
	UPDATE `vector_items` SET `hash` = NULL WHERE `team_id` = OLD.`team_id` AND `kind` = 'entity'
		AND `id` = (SELECT `id` FROM `entities` WHERE `row` = OLD.`entity_row` AND `mentions` <= 1);
END;
--> statement-breakpoint
CREATE TRIGGER `relationship_vectors_of_erased` BEFORE DELETE ON `relationship_mentions`
	WHEN NOT EXISTS (SELECT 1 FROM `memories` m WHERE m.`team_id` = OLD.`team_id` AND m.`id` = OLD.`memory_id`) BEGIN
	UPDATE `vector_items` SET `hash` = NULL WHERE `team_id` = OLD.`team_id` AND `kind` = 'relationship'
		AND `id` = (SELECT `id` FROM `relationships` WHERE `row` = OLD.`relationship_row`);
END;
--> statement-breakpoint
-- A statement that others still make may have had its words and its time from the one that goes.
CREATE TRIGGER `relationship_unsaid` AFTER DELETE ON `relationship_mentions`
	WHEN EXISTS (SELECT 1 FROM `relationships` WHERE `row` = OLD.`relationship_row` AND `mentions` > 0) BEGIN
	DELETE FROM `graph_outbox` WHERE `team_id` = OLD.`team_id` AND `kind` = 'relationship'
		AND `id` = (SELECT `id` FROM `relationships` WHERE `row` = OLD.`relationship_row`);
	INSERT INTO `graph_outbox` (`team_id`, `kind`, `id`)
		SELECT `team_id`, 'relationship', `id` FROM `relationships` WHERE `row` = OLD.`relationship_row`;
END;
