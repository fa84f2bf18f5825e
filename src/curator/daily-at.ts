const minutesOfDay = 1_440;

/** As a cron expression: a fixed minute of the day for each team, spread evenly, so that teams do not all begin at once. */
export function dailyAt(teamId: string): string {
  const minute = [...teamId].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % minutesOfDay, 0);
  return `${minute % 60} ${Math.floor(minute / 60)} * * *`;
}
