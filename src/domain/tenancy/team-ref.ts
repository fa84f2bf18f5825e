/** Where a team's data lives; work that is not done on behalf of a person has no more than this. */
export interface TeamRef {
  teamId: string;
  organizationId: string;
  /** Binding name of the team's shard. */
  shard: string;
}
