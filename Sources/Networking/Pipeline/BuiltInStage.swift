/// A stage of this module's own, that is known to call back: nobody has to watch where it got stuck.
protocol BuiltInStage: Interceptor {}
