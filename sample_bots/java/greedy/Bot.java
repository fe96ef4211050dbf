import knockbox.Action;
import knockbox.Knockbox;
import knockbox.State;

/** The least deadwood now: knocks as soon as it may, takes what lowers its count at once. */
public class Bot {
    /** Knock if possible, else keep the hand with the least deadwood. */
    static Action answer(State state) {
        if (!state.knocks().isEmpty()) return state.knock(state.bestKnock());
        if (!state.discards().isEmpty()) return state.discard(state.bestDiscard());
        if (state.mayTake() && state.deadwoodIfTaken() < state.deadwood()) return state.take();
        return state.otherwise();
    }

    public static void main(String[] args) {
        Knockbox.run(Bot::answer);
    }
}
