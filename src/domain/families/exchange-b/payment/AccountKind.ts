/**
 * Which accounts of exchange B can be paid by anybody (EXCHANGEB-26): those of people. Pure.
 *
 * A public pool or an insurance fund takes only USDC on perps, and only while it is active; a staking pool takes only its
 * token. What they take would be shared among strangers. So they count as accounts that cannot be paid, and so does every
 * kind that this version does not know.
 */

/** The exchange's numbers of a master account and of its sub-accounts. */
const ORDINARY = [0, 1]

/** `type`: as the exchange numbers it; undefined where its answer has none. */
export const canBePaid = (type: number | undefined): boolean => type === undefined || ORDINARY.includes(type)
