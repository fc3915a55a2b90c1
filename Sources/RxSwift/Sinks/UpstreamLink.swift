/// A place for one upstream, which a stage with several sources keeps for each of them.
///
/// Held by the stage and by the sink that receives the source's events; the sink holds the stage, so the stage must not hold
/// the sink. Cancelling the link ends that source's subscription and cuts the circle.
package final class UpstreamLink: Stage {}
