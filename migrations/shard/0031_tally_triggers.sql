-- What is there already counts.
INSERT INTO `memory_tallies` (`team_id`, `home`, `archived`, `visibility`, `namespace`, `type`, `agent_id`, `run_id`, `memories`, `normal`, `versions`, `bytes`, `characters`, `changed_at`, `created_at`)
	SELECT `team_id`, `home`, `archived_at` IS NOT NULL, `visibility`, `namespace`, `type`, coalesce(`agent_id`, ''), coalesce(`run_id`, ''), count(*), sum(`sensitivity` = 'normal'), sum(`version`), sum(iif(`data_key` IS NULL, length(CAST(`content` AS BLOB)), (length(`content`) - 3 - instr(substr(`content`, 4), '.')) * 3 / 4 - 28)), sum(iif(`data_key` IS NULL, length(`content`), (length(`content`) - 3 - instr(substr(`content`, 4), '.')) * 3 / 4 - 28)), max(`updated_at`), max(`created_at`)
	FROM `memories` WHERE (`archived_at` IS NULL OR `quarantine` IS NULL) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
--> statement-breakpoint
INSERT INTO `tag_tallies` (`team_id`, `home`, `tag`, `memories`)
	SELECT `team_id`, `home`, t.value, count(*) FROM `memories` CROSS JOIN json_each(`tags`) t WHERE `archived_at` IS NULL GROUP BY 1, 2, 3;
--> statement-breakpoint
-- The tallies follow every change in its own transaction, whoever makes it.
CREATE TRIGGER `memory_tallied` AFTER INSERT ON `memories` BEGIN
	INSERT INTO `memory_tallies` (`team_id`, `home`, `archived`, `visibility`, `namespace`, `type`, `agent_id`, `run_id`, `memories`, `normal`, `versions`, `bytes`, `characters`, `changed_at`, `created_at`)
		SELECT NEW.`team_id`, NEW.`home`, NEW.`archived_at` IS NOT NULL, NEW.`visibility`, NEW.`namespace`, NEW.`type`, coalesce(NEW.`agent_id`, ''), coalesce(NEW.`run_id`, ''), 1, NEW.`sensitivity` = 'normal', NEW.`version`, iif(NEW.`data_key` IS NULL, length(CAST(NEW.`content` AS BLOB)), (length(NEW.`content`) - 3 - instr(substr(NEW.`content`, 4), '.')) * 3 / 4 - 28), iif(NEW.`data_key` IS NULL, length(NEW.`content`), (length(NEW.`content`) - 3 - instr(substr(NEW.`content`, 4), '.')) * 3 / 4 - 28), NEW.`updated_at`, NEW.`created_at` WHERE (NEW.`archived_at` IS NULL OR NEW.`quarantine` IS NULL)
		ON CONFLICT DO UPDATE SET `memories` = `memories` + 1, `normal` = `normal` + excluded.`normal`, `versions` = `versions` + excluded.`versions`, `bytes` = `bytes` + excluded.`bytes`,
			`characters` = `characters` + excluded.`characters`, `changed_at` = max(`changed_at`, excluded.`changed_at`), `created_at` = max(`created_at`, excluded.`created_at`);
END;
--> statement-breakpoint
CREATE TRIGGER `memory_untallied` AFTER DELETE ON `memories` BEGIN
	UPDATE `memory_tallies` SET `memories` = `memories` - 1, `normal` = `normal` - (OLD.`sensitivity` = 'normal'), `versions` = `versions` - OLD.`version`, `bytes` = `bytes` - iif(OLD.`data_key` IS NULL, length(CAST(OLD.`content` AS BLOB)), (length(OLD.`content`) - 3 - instr(substr(OLD.`content`, 4), '.')) * 3 / 4 - 28), `characters` = `characters` - iif(OLD.`data_key` IS NULL, length(OLD.`content`), (length(OLD.`content`) - 3 - instr(substr(OLD.`content`, 4), '.')) * 3 / 4 - 28)
		WHERE (`team_id`, `home`, `archived`, `visibility`, `namespace`, `type`, `agent_id`, `run_id`) = (OLD.`team_id`, OLD.`home`, OLD.`archived_at` IS NOT NULL, OLD.`visibility`, OLD.`namespace`, OLD.`type`, coalesce(OLD.`agent_id`, ''), coalesce(OLD.`run_id`, '')) AND (OLD.`archived_at` IS NULL OR OLD.`quarantine` IS NULL);
END;
--> statement-breakpoint
CREATE TRIGGER `memory_retallied` AFTER UPDATE OF `version`, `home`, `archived_at`, `quarantine`, `visibility`, `namespace`, `type`, `agent_id`, `run_id`, `sensitivity`, `content`, `data_key` ON `memories` BEGIN
	INSERT INTO `memory_tallies` (`team_id`, `home`, `archived`, `visibility`, `namespace`, `type`, `agent_id`, `run_id`, `memories`, `normal`, `versions`, `bytes`, `characters`, `changed_at`, `created_at`)
		SELECT NEW.`team_id`, NEW.`home`, NEW.`archived_at` IS NOT NULL, NEW.`visibility`, NEW.`namespace`, NEW.`type`, coalesce(NEW.`agent_id`, ''), coalesce(NEW.`run_id`, ''), 1, NEW.`sensitivity` = 'normal', NEW.`version`, iif(NEW.`data_key` IS NULL, length(CAST(NEW.`content` AS BLOB)), (length(NEW.`content`) - 3 - instr(substr(NEW.`content`, 4), '.')) * 3 / 4 - 28), iif(NEW.`data_key` IS NULL, length(NEW.`content`), (length(NEW.`content`) - 3 - instr(substr(NEW.`content`, 4), '.')) * 3 / 4 - 28), NEW.`updated_at`, NEW.`created_at` WHERE (NEW.`archived_at` IS NULL OR NEW.`quarantine` IS NULL)
		ON CONFLICT DO UPDATE SET `memories` = `memories` + 1, `normal` = `normal` + excluded.`normal`, `versions` = `versions` + excluded.`versions`, `bytes` = `bytes` + excluded.`bytes`,
			`characters` = `characters` + excluded.`characters`, `changed_at` = max(`changed_at`, excluded.`changed_at`), `created_at` = max(`created_at`, excluded.`created_at`);
	UPDATE `memory_tallies` SET `memories` = `memories` - 1, `normal` = `normal` - (OLD.`sensitivity` = 'normal'), `versions` = `versions` - OLD.`version`, `bytes` = `bytes` - iif(OLD.`data_key` IS NULL, length(CAST(OLD.`content` AS BLOB)), (length(OLD.`content`) - 3 - instr(substr(OLD.`content`, 4), '.')) * 3 / 4 - 28), `characters` = `characters` - iif(OLD.`data_key` IS NULL, length(OLD.`content`), (length(OLD.`content`) - 3 - instr(substr(OLD.`content`, 4), '.')) * 3 / 4 - 28)
		WHERE (`team_id`, `home`, `archived`, `visibility`, `namespace`, `type`, `agent_id`, `run_id`) = (OLD.`team_id`, OLD.`home`, OLD.`archived_at` IS NOT NULL, OLD.`visibility`, OLD.`namespace`, OLD.`type`, coalesce(OLD.`agent_id`, ''), coalesce(OLD.`run_id`, '')) AND (OLD.`archived_at` IS NULL OR OLD.`quarantine` IS NULL);
END;
--> statement-breakpoint
CREATE TRIGGER `tags_tallied` AFTER INSERT ON `memories` WHEN NEW.`tags` <> '[]' BEGIN
	INSERT INTO `tag_tallies` (`team_id`, `home`, `tag`, `memories`) SELECT NEW.`team_id`, NEW.`home`, t.value, 1 FROM json_each(NEW.`tags`) t WHERE NEW.`archived_at` IS NULL
		ON CONFLICT DO UPDATE SET `memories` = `memories` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `tags_untallied` AFTER DELETE ON `memories` WHEN OLD.`tags` <> '[]' BEGIN
	UPDATE `tag_tallies` SET `memories` = `memories` - 1 WHERE `team_id` = OLD.`team_id` AND `home` = OLD.`home` AND `tag` IN (SELECT value FROM json_each(OLD.`tags`)) AND OLD.`archived_at` IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `tags_retallied` AFTER UPDATE OF `tags`, `home`, `archived_at` ON `memories`
	WHEN OLD.`tags` <> NEW.`tags` OR OLD.`home` <> NEW.`home` OR (OLD.`archived_at` IS NULL) <> (NEW.`archived_at` IS NULL) BEGIN
	INSERT INTO `tag_tallies` (`team_id`, `home`, `tag`, `memories`) SELECT NEW.`team_id`, NEW.`home`, t.value, 1 FROM json_each(NEW.`tags`) t WHERE NEW.`archived_at` IS NULL
		ON CONFLICT DO UPDATE SET `memories` = `memories` + 1;
	UPDATE `tag_tallies` SET `memories` = `memories` - 1 WHERE `team_id` = OLD.`team_id` AND `home` = OLD.`home` AND `tag` IN (SELECT value FROM json_each(OLD.`tags`)) AND OLD.`archived_at` IS NULL;
END;
--> statement-breakpoint
-- No name stays that nothing has any more.
CREATE TRIGGER `tally_emptied` AFTER UPDATE OF `memories` ON `memory_tallies` WHEN NEW.`memories` = 0 BEGIN
	DELETE FROM `memory_tallies` WHERE rowid = NEW.rowid;
END;
--> statement-breakpoint
CREATE TRIGGER `tag_tally_emptied` AFTER UPDATE OF `memories` ON `tag_tallies` WHEN NEW.`memories` = 0 BEGIN
	DELETE FROM `tag_tallies` WHERE rowid = NEW.rowid;
END;
