CREATE INDEX `audit_registrations` ON `audit` (`at`) WHERE action = 'client.register';--> statement-breakpoint
DROP TRIGGER `audit_kept`;--> statement-breakpoint
CREATE TRIGGER `audit_kept` BEFORE DELETE ON `audit`
WHEN OLD.action <> 'client.register' BEGIN
	SELECT RAISE(ABORT, 'the audit is append-only');
END;
