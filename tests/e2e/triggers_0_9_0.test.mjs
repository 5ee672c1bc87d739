// The published npm iii-sdk 0.9.0 on our engine: trigger types and bindings.
import { sdks } from './lib/sdks.mjs'
import { triggerSuite } from './lib/trigger_suite.mjs'

triggerSuite(sdks['0.9.0'])
