/** The families of the matrix, in the order of the page. A family that transfers and is missing here fails the page. */
import { bitcoinFamily } from "./BitcoinFamily.ts"
import { evmFamily } from "./EvmFamily.ts"
import { exchangeAFamily } from "./ExchangeAFamily.ts"
import { exchangeBFamily } from "./ExchangeBFamily.ts"
import type { MatrixFamily } from "./MatrixFamily.ts"
import { solanaFamily } from "./SolanaFamily.ts"
import { tronFamily } from "./TronFamily.ts"

export const matrixFamilies: ReadonlyArray<MatrixFamily> = [
  evmFamily,
  solanaFamily,
  bitcoinFamily,
  exchangeAFamily,
  exchangeBFamily,
  tronFamily
]
