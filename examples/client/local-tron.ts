/**
 * Tron against `npm start -- --all-families`, by `fetch`, tronweb, `@solana/kit`, bitcoinjs-lib and viem alone: TRX and
 * USDT to and from an EVM chain, Solana and Bitcoin, all three at once by accounts of their own.
 * `node local-tron.ts <checkout>/.causeway/localnet.json`
 */
import { move, walletsOf } from "./localnet.ts"
import type { Wallet } from "./localnet.ts"

const [, , file = ".causeway/localnet.json", position = "0"] = process.argv
const unit = 10n ** 6n

/** There and back, in TRX and in USDT. `native` and `token`: symbol and amount there. */
const between = async <Data>(
  index: number,
  pick: (wallets: Awaited<ReturnType<typeof walletsOf>>) => Wallet<Data>,
  native: readonly [symbol: string, amount: bigint],
  token: readonly [symbol: string, amount: bigint]
) => {
  const wallets = await walletsOf(file, Number(position) + index)
  const { transferUrl, tron } = wallets
  const other = pick(wallets)
  return [
    await move(transferUrl, [tron, "TRX"], [other, native[0]], 300n * unit),
    await move(transferUrl, [tron, "USDT"], [other, token[0]], 50n * unit),
    await move(transferUrl, [other, native[0]], [tron, "USDT"], native[1]),
    await move(transferUrl, [other, token[0]], [tron, "TRX"], token[1])
  ]
}

const moved = await Promise.all([
  between(0, ({ beta }) => beta, ["ETH", 10n ** 17n], ["USDC", 25n * unit]),
  between(1, ({ solana }) => solana, ["SOL", 10n ** 9n], ["USDC", 25n * unit]),
  between(2, ({ bitcoin }) => bitcoin, ["BTC", 1_000_000n], ["BTC", 1_000_000n])
])
for (const { settled, way } of moved.flat()) {
  await settled
  console.log(`${way}, settled`)
}
