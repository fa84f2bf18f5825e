ALTER TABLE `counters` ADD `memories` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `counters` ADD `bytes` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- What is there already counts.
UPDATE `counters` SET
	`memories` = (SELECT count(*) FROM `memories` m WHERE m.`team_id` = `counters`.`team_id`),
	`bytes` = (SELECT coalesce(sum(length(CAST(m.`content` || m.`namespace` || m.`tags` || m.`keywords` || m.`metadata` || m.`related_files` || coalesce(m.`key`, '') || coalesce(m.`value`, '') || coalesce(m.`summary`, '') || coalesce(m.`compressed`, '') AS BLOB))), 0) FROM `memories` m WHERE m.`team_id` = `counters`.`team_id`)
		+ (SELECT coalesce(sum(length(CAST(v.`state` AS BLOB))), 0) FROM `versions` v WHERE v.`team_id` = `counters`.`team_id`)
		+ (SELECT coalesce(sum(length(CAST(l.`source_id` || l.`target_id` || l.`type` || l.`reason` AS BLOB))), 0) FROM `memory_links` l WHERE l.`team_id` = `counters`.`team_id` AND l.`origin` = 'explicit');
--> statement-breakpoint
-- How much a team stores follows every change in its own transaction, also those that cascade from an erased memory.
CREATE TRIGGER `memory_counted` AFTER INSERT ON `memories` BEGIN
	UPDATE `counters` SET `memories` = `memories` + 1, `bytes` = `bytes` + length(CAST(NEW.`content` || NEW.`namespace` || NEW.`tags` || NEW.`keywords` || NEW.`metadata` || NEW.`related_files` || coalesce(NEW.`key`, '') || coalesce(NEW.`value`, '') || coalesce(NEW.`summary`, '') || coalesce(NEW.`compressed`, '') AS BLOB)) WHERE `team_id` = NEW.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `memory_uncounted` AFTER DELETE ON `memories` BEGIN
	UPDATE `counters` SET `memories` = `memories` - 1, `bytes` = `bytes` - length(CAST(OLD.`content` || OLD.`namespace` || OLD.`tags` || OLD.`keywords` || OLD.`metadata` || OLD.`related_files` || coalesce(OLD.`key`, '') || coalesce(OLD.`value`, '') || coalesce(OLD.`summary`, '') || coalesce(OLD.`compressed`, '') AS BLOB)) WHERE `team_id` = OLD.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `memory_recounted` AFTER UPDATE OF `key`, `content`, `namespace`, `tags`, `keywords`, `metadata`, `related_files`, `value`, `summary`, `compressed` ON `memories` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` + length(CAST(NEW.`content` || NEW.`namespace` || NEW.`tags` || NEW.`keywords` || NEW.`metadata` || NEW.`related_files` || coalesce(NEW.`key`, '') || coalesce(NEW.`value`, '') || coalesce(NEW.`summary`, '') || coalesce(NEW.`compressed`, '') AS BLOB)) - length(CAST(OLD.`content` || OLD.`namespace` || OLD.`tags` || OLD.`keywords` || OLD.`metadata` || OLD.`related_files` || coalesce(OLD.`key`, '') || coalesce(OLD.`value`, '') || coalesce(OLD.`summary`, '') || coalesce(OLD.`compressed`, '') AS BLOB)) WHERE `team_id` = NEW.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `version_counted` AFTER INSERT ON `versions` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` + length(CAST(NEW.`state` AS BLOB)) WHERE `team_id` = NEW.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `version_uncounted` AFTER DELETE ON `versions` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` - length(CAST(OLD.`state` AS BLOB)) WHERE `team_id` = OLD.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `version_recounted` AFTER UPDATE OF `state` ON `versions` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` + length(CAST(NEW.`state` AS BLOB)) - length(CAST(OLD.`state` AS BLOB)) WHERE `team_id` = NEW.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `link_counted` AFTER INSERT ON `memory_links` WHEN NEW.`origin` = 'explicit' BEGIN
	UPDATE `counters` SET `bytes` = `bytes` + length(CAST(NEW.`source_id` || NEW.`target_id` || NEW.`type` || NEW.`reason` AS BLOB)) WHERE `team_id` = NEW.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `link_uncounted` AFTER DELETE ON `memory_links` WHEN OLD.`origin` = 'explicit' BEGIN
	UPDATE `counters` SET `bytes` = `bytes` - length(CAST(OLD.`source_id` || OLD.`target_id` || OLD.`type` || OLD.`reason` AS BLOB)) WHERE `team_id` = OLD.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `link_recounted` AFTER UPDATE OF `reason`, `origin` ON `memory_links` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` + (CASE NEW.`origin` WHEN 'explicit' THEN length(CAST(NEW.`source_id` || NEW.`target_id` || NEW.`type` || NEW.`reason` AS BLOB)) ELSE 0 END) - (CASE OLD.`origin` WHEN 'explicit' THEN length(CAST(OLD.`source_id` || OLD.`target_id` || OLD.`type` || OLD.`reason` AS BLOB)) ELSE 0 END) WHERE `team_id` = NEW.`team_id`;
END;
