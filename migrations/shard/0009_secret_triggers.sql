-- A memory that becomes secret leaves nothing made of its words, in the same transaction, whoever commits it: the hash of its
-- text goes (and with it the cached vector), and the vectors of what it alone named, or was among those that said. The rows
-- stay as notes that the vector index must let go. The graph itself is withdrawn as with every new version.
CREATE TRIGGER `vector_items_of_secret` AFTER UPDATE OF `version` ON `memories` WHEN NEW.`sensitivity` = 'secret' AND OLD.`sensitivity` <> 'secret' BEGIN
	UPDATE `vector_items` SET `hash` = NULL WHERE `team_id` = NEW.`team_id` AND `kind` = 'memory' AND `id` = NEW.`id`;
	-- Their request hashes may be of its text.
	DELETE FROM `idempotency` WHERE `team_id` = NEW.`team_id` AND `memory_id` = NEW.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `entity_vectors_of_secret` BEFORE DELETE ON `entity_mentions`
	WHEN EXISTS (SELECT 1 FROM `memories` m WHERE m.`team_id` = OLD.`team_id` AND m.`id` = OLD.`memory_id` AND m.`sensitivity` = 'secret') BEGIN
	UPDATE `vector_items` SET `hash` = NULL WHERE `team_id` = OLD.`team_id` AND `kind` = 'entity'
		AND `id` = (SELECT `id` FROM `entities` WHERE `row` = OLD.`entity_row` AND `mentions` <= 1);
END;
--> statement-breakpoint
CREATE TRIGGER `relationship_vectors_of_secret` BEFORE DELETE ON `relationship_mentions`
	WHEN EXISTS (SELECT 1 FROM `memories` m WHERE m.`team_id` = OLD.`team_id` AND m.`id` = OLD.`memory_id` AND m.`sensitivity` = 'secret') BEGIN
	UPDATE `vector_items` SET `hash` = NULL WHERE `team_id` = OLD.`team_id` AND `kind` = 'relationship'
		AND `id` = (SELECT `id` FROM `relationships` WHERE `row` = OLD.`relationship_row`);
END;
