-- How much a team stores follows the steps of workflows as it does memories. The counts are made of them, as an index is.
CREATE TRIGGER `workflow_step_counted` AFTER INSERT ON `workflow_steps` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` + length(CAST(NEW.`command` || NEW.`trail` AS BLOB)) WHERE `team_id` = NEW.`team_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `workflow_step_uncounted` AFTER DELETE ON `workflow_steps` BEGIN
	UPDATE `counters` SET `bytes` = `bytes` - length(CAST(OLD.`command` || OLD.`trail` AS BLOB)) WHERE `team_id` = OLD.`team_id`;
END;
