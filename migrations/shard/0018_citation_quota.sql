-- Citations count as all text does; those that were there before have none.
DROP TRIGGER `memory_counted`;
--> statement-breakpoint
-- How much a team stores follows every change in its own transaction, also those that cascade from an erased memory.
CREATE TRIGGER `memory_counted` AFTER INSERT ON `memories` BEGIN
	UPDATE `counters` SET `memories` = `memories` + 1, `bytes` = `bytes` + length(CAST(NEW.`content` || NEW.`namespace` || NEW.`tags` || NEW.`keywords` || NEW.`metadata` || NEW.`related_files` || coalesce(nullif(NEW.`citations`, '[]'), '') || coalesce(NEW.`key`, '') || coalesce(NEW.`value`, '') || coalesce(NEW.`summary`, '') || coalesce(NEW.`compressed`, '') AS BLOB)) WHERE `team_id` = NEW.`team_id`;
END;
--> statement-breakpoint
DROP TRIGGER `memory_uncounted`;
--> statement-breakpoint
CREATE TRIGGER `memory_uncounted` AFTER DELETE ON `memories` BEGIN
	UPDATE `counters` SET `memories` = `memories` - 1, `bytes` = `bytes` - length(CAST(OLD.`content` || OLD.`namespace` || OLD.`tags` || OLD.`keywords` || OLD.`metadata` || OLD.`related_files` || coalesce(nullif(OLD.`citations`, '[]'), '') || coalesce(OLD.`key`, '') || coalesce(OLD.`value`, '') || coalesce(OLD.`summary`, '') || coalesce(OLD.`compressed`, '') AS BLOB)) WHERE `team_id` = OLD.`team_id`;
END;
--> statement-breakpoint
DROP TRIGGER `memory_recounted`;
--> statement-breakpoint
CREATE TRIGGER `memory_recounted` AFTER UPDATE OF `key`, `content`, `namespace`, `tags`, `keywords`, `metadata`, `related_files`, `citations`, `value`, `summary`, `compressed` ON `memories` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` + length(CAST(NEW.`content` || NEW.`namespace` || NEW.`tags` || NEW.`keywords` || NEW.`metadata` || NEW.`related_files` || coalesce(nullif(NEW.`citations`, '[]'), '') || coalesce(NEW.`key`, '') || coalesce(NEW.`value`, '') || coalesce(NEW.`summary`, '') || coalesce(NEW.`compressed`, '') AS BLOB)) - length(CAST(OLD.`content` || OLD.`namespace` || OLD.`tags` || OLD.`keywords` || OLD.`metadata` || OLD.`related_files` || coalesce(nullif(OLD.`citations`, '[]'), '') || coalesce(OLD.`key`, '') || coalesce(OLD.`value`, '') || coalesce(OLD.`summary`, '') || coalesce(OLD.`compressed`, '') AS BLOB)) WHERE `team_id` = NEW.`team_id`;
END;
