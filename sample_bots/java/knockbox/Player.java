package knockbox;

/** What plays: all games of the leg, or, made by a factory, one game each. */
@FunctionalInterface
public interface Player {
    /** The answer to a question; one of the state's makers makes it. */
    Action answer(State state);

    /** Hears how each deal ended. */
    default void dealOver(DealResult result) {}
}
