-- A new version of a memory, or one that is archived or changes hands, takes back what the one before contributed: nothing
-- of the old text is read from the graph once the change is committed, whoever commits it. The graph stage draws it anew.
CREATE TRIGGER `graph_withdrawn` AFTER UPDATE OF `version` ON `memories` WHEN OLD.`version` <> NEW.`version` BEGIN
	DELETE FROM `entity_mentions` WHERE `team_id` = OLD.`team_id` AND `memory_id` = OLD.`id`;
	DELETE FROM `relationship_mentions` WHERE `team_id` = OLD.`team_id` AND `memory_id` = OLD.`id`;
	DELETE FROM `memory_references` WHERE `team_id` = OLD.`team_id` AND `memory_id` = OLD.`id`;
	DELETE FROM `memory_links` WHERE `team_id` = OLD.`team_id` AND `source_id` = OLD.`id` AND `origin` = 'drawn';
	DELETE FROM `memory_links` WHERE `team_id` = OLD.`team_id` AND `target_id` = OLD.`id` AND `origin` = 'drawn';
END;
--> statement-breakpoint
CREATE TRIGGER `entity_mentioned` AFTER INSERT ON `entity_mentions` BEGIN
	UPDATE `entities` SET `mentions` = `mentions` + 1, `weight` = `weight` + round(1000 * NEW.`confidence`),
		`lasting` = `lasting` + (NEW.`expires_at` IS NULL), `until` = max(`until`, coalesce(NEW.`expires_at`, 0))
		WHERE `row` = NEW.`entity_row`;
END;
--> statement-breakpoint
-- Also of mentions that go with their memory: the last one takes the name along, and the name its words.
CREATE TRIGGER `entity_unmentioned` AFTER DELETE ON `entity_mentions` BEGIN
	UPDATE `entities` SET `mentions` = `mentions` - 1, `weight` = `weight` - round(1000 * OLD.`confidence`),
		`lasting` = `lasting` - (OLD.`expires_at` IS NULL) WHERE `row` = OLD.`entity_row`;
	UPDATE `entities` SET `until` = coalesce((SELECT max(`expires_at`) FROM `entity_mentions` WHERE `entity_row` = OLD.`entity_row`), 0)
		WHERE `row` = OLD.`entity_row` AND OLD.`expires_at` IS NOT NULL AND `until` <= OLD.`expires_at`;
	DELETE FROM `entities` WHERE `row` = OLD.`entity_row` AND `mentions` <= 0;
END;
--> statement-breakpoint
CREATE TRIGGER `relationship_mentioned` AFTER INSERT ON `relationship_mentions` BEGIN
	UPDATE `relationships` SET `mentions` = `mentions` + 1, `weight` = `weight` + round(1000 * NEW.`confidence`),
		`lasting` = `lasting` + (NEW.`expires_at` IS NULL), `until` = max(`until`, coalesce(NEW.`expires_at`, 0))
		WHERE `row` = NEW.`relationship_row`;
END;
--> statement-breakpoint
CREATE TRIGGER `relationship_unmentioned` AFTER DELETE ON `relationship_mentions` BEGIN
	UPDATE `relationships` SET `mentions` = `mentions` - 1, `weight` = `weight` - round(1000 * OLD.`confidence`),
		`lasting` = `lasting` - (OLD.`expires_at` IS NULL) WHERE `row` = OLD.`relationship_row`;
	UPDATE `relationships` SET `until` = coalesce((SELECT max(`expires_at`) FROM `relationship_mentions` WHERE `relationship_row` = OLD.`relationship_row`), 0)
		WHERE `row` = OLD.`relationship_row` AND OLD.`expires_at` IS NOT NULL AND `until` <= OLD.`expires_at`;
	DELETE FROM `relationships` WHERE `row` = OLD.`relationship_row` AND `mentions` <= 0;
END;
--> statement-breakpoint
-- Deleted and inserted, not replaced: the conflict clause of an outer statement would win over one in here.
CREATE TRIGGER `entity_appeared` AFTER INSERT ON `entities` BEGIN
	DELETE FROM `graph_outbox` WHERE `team_id` = NEW.`team_id` AND `kind` = 'entity' AND `id` = NEW.`id`;
	INSERT INTO `graph_outbox` (`team_id`, `kind`, `id`) VALUES (NEW.`team_id`, 'entity', NEW.`id`);
END;
--> statement-breakpoint
CREATE TRIGGER `entity_vanished` AFTER DELETE ON `entities` BEGIN
	DELETE FROM `graph_outbox` WHERE `team_id` = OLD.`team_id` AND `kind` = 'entity' AND `id` = OLD.`id`;
	INSERT INTO `graph_outbox` (`team_id`, `kind`, `id`) VALUES (OLD.`team_id`, 'entity', OLD.`id`);
END;
--> statement-breakpoint
CREATE TRIGGER `relationship_appeared` AFTER INSERT ON `relationships` BEGIN
	DELETE FROM `graph_outbox` WHERE `team_id` = NEW.`team_id` AND `kind` = 'relationship' AND `id` = NEW.`id`;
	INSERT INTO `graph_outbox` (`team_id`, `kind`, `id`) VALUES (NEW.`team_id`, 'relationship', NEW.`id`);
END;
--> statement-breakpoint
CREATE TRIGGER `relationship_vanished` AFTER DELETE ON `relationships` BEGIN
	DELETE FROM `graph_outbox` WHERE `team_id` = OLD.`team_id` AND `kind` = 'relationship' AND `id` = OLD.`id`;
	INSERT INTO `graph_outbox` (`team_id`, `kind`, `id`) VALUES (OLD.`team_id`, 'relationship', OLD.`id`);
END;
