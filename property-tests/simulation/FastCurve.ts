/** secp256k1 as users, nodes and services of the worlds compute it: noble would take a fifth of a run's time. */
import { nativeCurve } from "../../adapters/signing/secp256k1/NativeCurve.ts"
import { nobleCurve } from "../../src/domain/encoding/NobleCurve.ts"
import { signaturesOn } from "../../src/domain/encoding/Signature.ts"

const { accountOfKey, recoverDigest, signDigest } = signaturesOn(await nativeCurve() ?? nobleCurve)

/** As the domain's functions of these names, only faster. */
export { accountOfKey as accountOfKeyFast, recoverDigest as recoverFast, signDigest as signFast }
