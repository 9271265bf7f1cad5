/**
 * How an account of exchange B keeps its balances: its `account_trading_mode` (EXCHANGEB-28). Any of its API keys can
 * change it. Pure, total.
 *
 * On a unified account perps and spot are one balance, and the exchange takes no transfer between them: no nonce could be
 * used up (EXCHANGEB-22), and the first payment that expires would block its API key for ever.
 */

/** What is configured of an account that pays: perps and spot have a balance each. */
export const CLASSIC = "separate balances"

/** Exchanges that know one mode only do not name it. */
export const isClassic = (mode: number | undefined): boolean => mode === undefined || mode === 0

/** A mode in words for operators, with what to do about it. */
export const describeMode = (mode: number | undefined): string => {
  if (isClassic(mode)) return CLASSIC
  const todo = "set account_trading_mode to 0 with one of the account's API keys, or use another account"
  return mode === 1
    ? `a unified account, from which no nonce can be used up: ${todo}`
    : `the mode ${mode}, which this version does not know: ${todo}`
}
