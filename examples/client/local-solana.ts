/**
 * Solana against `npm start -- --all-families`, by `fetch`, `@solana/kit` and viem alone: 0.1 ETH on alpha for GEM, which
 * the solver's fill swaps for, and 20 GEM for ETH on beta, which a swap before the deposit sells.
 * `node local-solana.ts <checkout>/.causeway/localnet.json`
 */
import { move, walletsOf } from "./localnet.ts"

const [, , file = ".causeway/localnet.json", position = "0"] = process.argv
const { alpha, beta, solana, transferUrl } = await walletsOf(file, Number(position))

const moved = [
  await move(transferUrl, [alpha, "ETH"], [solana, "GEM"], 10n ** 17n),
  await move(transferUrl, [solana, "GEM"], [beta, "ETH"], 20n * 10n ** 9n)
]
for (const { settled, way } of moved) {
  await settled
  console.log(`${way}, settled`)
}
