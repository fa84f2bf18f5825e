ALTER TABLE `audit` ADD `address` text;--> statement-breakpoint
-- What happened stays written, whoever asks and whatever has a bug.
CREATE TRIGGER `audit_kept` BEFORE DELETE ON `audit` BEGIN
	SELECT RAISE(ABORT, 'the audit is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_unchanged` BEFORE UPDATE ON `audit` BEGIN
	SELECT RAISE(ABORT, 'the audit is append-only');
END;
