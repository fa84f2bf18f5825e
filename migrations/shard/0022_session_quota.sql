-- Sessions count as all text does.
CREATE TRIGGER `session_counted` AFTER INSERT ON `work_sessions` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` + length(CAST(NEW.`trace` || coalesce(NEW.`workspace_path`, '') AS BLOB)) WHERE `team_id` = NEW.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `session_uncounted` AFTER DELETE ON `work_sessions` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` - length(CAST(OLD.`trace` || coalesce(OLD.`workspace_path`, '') AS BLOB)) WHERE `team_id` = OLD.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `session_recounted` AFTER UPDATE OF `trace`, `workspace_path` ON `work_sessions` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` + length(CAST(NEW.`trace` || coalesce(NEW.`workspace_path`, '') AS BLOB)) - length(CAST(OLD.`trace` || coalesce(OLD.`workspace_path`, '') AS BLOB)) WHERE `team_id` = NEW.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `turn_counted` AFTER INSERT ON `session_turns` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` + length(CAST(NEW.`content` || coalesce(NEW.`name`, '') || coalesce(NEW.`compressed`, '') || coalesce(NEW.`summary`, '') AS BLOB)) WHERE `team_id` = NEW.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `turn_uncounted` AFTER DELETE ON `session_turns` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` - length(CAST(OLD.`content` || coalesce(OLD.`name`, '') || coalesce(OLD.`compressed`, '') || coalesce(OLD.`summary`, '') AS BLOB)) WHERE `team_id` = OLD.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `turn_recounted` AFTER UPDATE OF `summary` ON `session_turns` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` + length(CAST(coalesce(NEW.`summary`, '') AS BLOB)) - length(CAST(coalesce(OLD.`summary`, '') AS BLOB)) WHERE `team_id` = NEW.`team_id`;
END;
