// Builds the worker of the published crate, so that the tests that need it find it ready.
import { rustWorker, withoutRust } from './rust.mjs'

console.log(withoutRust || `built ${await rustWorker()}`)
