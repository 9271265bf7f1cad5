/**
 * Tokens by which an account may be read: `expiry:account:key:signature` of one of its API keys, or a read-only one,
 * `ro:account:scope:expiry:random`. Their signatures are not verified. Times in seconds.
 */
const own = /^(?<expiry>\d{1,12}):(?<account>\d{1,15}):\d{1,3}:[0-9a-f]+$/i
const readOnly = /^ro:(?<account>\d{1,15}):(?:single|all):(?<expiry>\d{1,12}):[0-9a-f]+$/i

/** Whether the token lets its holder read that account. `now` in milliseconds. */
export const mayRead = (token: string | undefined, account: number, now: number): boolean => {
  const groups = token === undefined ? undefined : (own.exec(token) ?? readOnly.exec(token))?.groups
  return groups !== undefined && Number(groups["account"]) === account && Number(groups["expiry"]) * 1_000 > now
}
