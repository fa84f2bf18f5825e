/** A person in a team; sessions and grants are named by it. */
export interface MemberRef {
  userId: string;
  teamId: string;
}
