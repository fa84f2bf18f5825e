-- A memory that becomes secret leaves no proposal that says in the open what it says: such a proposal is outdated by the
-- same change. One that makes the memory secret is sealed, and stays.
CREATE TRIGGER `proposals_of_secret` AFTER UPDATE OF `version` ON `memories` WHEN NEW.`sensitivity` = 'secret' AND OLD.`sensitivity` <> 'secret' BEGIN
	DELETE FROM `proposals` WHERE `team_id` = NEW.`team_id` AND `memory_id` = NEW.`id` AND `proposed` IS NOT NULL AND `data_key` IS NULL;
END;
