CREATE TABLE `passport_claims` (
	`team_id` text NOT NULL,
	`user_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`session_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`claimed_at` integer,
	PRIMARY KEY(`team_id`, `user_id`, `token_hash`)
);
--> statement-breakpoint
CREATE TABLE `passport_issuers` (
	`team_id` text NOT NULL,
	`user_id` text NOT NULL,
	`issuer` text NOT NULL,
	`trusted_at` integer NOT NULL,
	PRIMARY KEY(`team_id`, `user_id`, `issuer`)
);
