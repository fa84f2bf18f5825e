/** Where a team's data lives; work that is not done on behalf of a person has no more than this. */
export interface TeamRef {
  teamId: string;
  organizationId: string;
  /** Binding name of the team's shard. */
  shard: string;
}

/** Of a principal: no more than where the team is. */
export const teamOf = ({ teamId, organizationId, shard }: TeamRef): TeamRef => ({ teamId, organizationId, shard });
