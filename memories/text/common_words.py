"""What tells languages apart: the commonest words of each, and letters that few of them have."""

# Of languages in Latin script. A word that several languages have is evidence for each of them, but less.
LATIN = {
    "basque": "eta da ez du dira zen izan bat ere dute hau baino zuen egin ditu baina beste behar duen egiten zer "
    "non nor ziren gara dago daude hori bere dela diren izango",
    "catalan": "el la els les i de que en un una per amb és no són del al va més com però aquest aquesta seva seu "
    "tot ha molt on quin quina qui quan perquè dels ser fer també aquests han havia hi ho pel",
    "danish": "og i det at en den til er som på de med han af for ikke der var jeg har et om fra hvad hvor hvem "
    "hvornår efter kun meget noget blev mig sig hvilken ud vi skal kan blive sin hun havde alle også når være "
    "bliver denne",
    "dutch": "de het een en van ik te dat die in is niet zijn op aan met als voor er maar om wat hoe waar wie "
    "wanneer ook naar heeft werd door welke wordt bij nog wij geen deze hebben uit tot worden kan jaar zich over "
    "ons onze jullie veel moet alleen omdat tijdens",
    "english": "the of and to in is was that for it with as on be at by this had not are but from or have an they "
    "which one you were all her his she there would their we him been has when who what will no if so said its did "
    "do does how where why can could your my me i am about up out just like get got go know think good time really "
    "some more than then now want need use us our i'm it's don't that's any after before because should must only "
    "also never always yes thanks hey let new every each first last over into under between still too very here "
    "again make made",
    "finnish": "ja on ei että se oli hän mutta ovat kun niin myös joka tai mitä sen olla kuin mikä missä milloin "
    "kuka ole jos vain sitä häntä tämä olen sekä ollut kanssa mukaan jälkeen voi jotka ennen vielä joka kuinka",
    "french": "le la les de des et un une est que qui dans en du pour pas sur au plus par ce il elle sont avec ne "
    "se nous vous je où quel quelle quand comment pourquoi cette été leur aux mais ou être fait ont ses son sa ces "
    "tout tous à chaque lundi sans notre votre mon ma deux après avant était on entre comme peut même très c'est "
    "n'est qu'il d'un d'une l'on quels quelles combien",
    "german": "der die das und ist nicht ein eine zu den von mit dem sich auf für im des als auch es an werden aus "
    "er hat dass sie nach wird bei einer um am sind noch wie einem über so zum war haben nur oder aber vor zur bis "
    "mehr durch man wurde wer wo wann warum welche welcher welches wir ich kein keine wenn kann sein ihre unter uns "
    "jeden jeder jede einen ihr seine seit ohne gegen wieder immer schon sehr muss müssen können soll sollen darf "
    "dürfen gibt alle alles beim vom hatte waren wurden worden diese dieser dieses dann neue neuen heute morgen "
    "gestern nie montag freitag was",
    "hungarian": "a az és hogy nem is egy ez van volt mint már csak meg de ha még el vagy azt ki mi hol mikor "
    "minden ezt lehet kell aki ami után között szerint nincs hogyan melyik mennyi ezek azok",
    "indonesian": "yang dan di dari untuk dengan ini itu pada tidak dalam adalah akan oleh ke sebagai juga karena "
    "apa siapa kapan bisa ada atau sudah mereka kami saya telah seorang tersebut kita harus setiap bagaimana "
    "mengapa di mana",
    "irish": "agus an na ar go bhí atá sé sí is ag leis do mé seo nach raibh chun ach níl tá sin faoi cad cé conas",
    "italian": "il di che e la in una è per non sono del della con le si da lo gli dei nel alla più come ma anche "
    "al dal chi cosa quando dove perché questo questa ha essere stato quale delle ai hanno nella un ogni sul sulla "
    "nostro suo sua era fu dopo prima tra fra degli alle viene deve dobbiamo abbiamo molto quanti",
    "lithuanian": "ir yra kad į su iš buvo bet kaip ne tai jo už nuo tik apie ar jis ji po kas kur kada dėl pagal turi",
    "norwegian": "og i det at en den til er som på de med han av for ikke der var jeg har et om fra hva hvor hvem "
    "når etter bare mye noe ble meg seg hvilken ut vi skal kan bli sin hun hadde alle også være blir denne",
    "portuguese": "o a os as de que e do da em um uma para é com não por mais dos no na se foi ao das como são ele "
    "ela mas quem quando onde qual pelo pela está isso seu sua ser tem à também nos foram às nas cada nosso nossa "
    "temos muito até sem sobre entre depois antes quais quantos você segunda-feira",
    "romanian": "și în de la a cu nu este pe că o din care pentru sau un mai fi ca au fost prin după ce cum când "
    "unde cine sunt această ale lui ei dar era fie acest care doar să am fiecare noastră nostru pot trebuie fără "
    "câte dintre",
    "serbian": "i je u da se na su za od sa koji koja koje kao nije bio ili ali što kako gde gdje ko tko kada biti "
    "iz po će ne ima bila samo svaki nema nakon smo treba",
    "spanish": "el la los las de que y en un una es por con no para se del al lo como más pero su sus fue qué quién "
    "cuándo dónde cómo cuál este esta está son ha era ser también entre sobre hay según muy cada nuestro nuestra "
    "tenemos sin desde hasta cuando donde después antes están han cuántos quiénes todos lunes porque ya",
    "swedish": "och i att det en som är av för på med den till inte har de ett om var jag han men hon från vad när "
    "vem varför sig eller hur kan ut efter bara mycket blev vilken också ska oss alla vara blir denna varje måste "
    "hade",
    "turkish": "ve bir bu da de için ile ne çok daha olarak olan gibi ama en var kadar sonra mi mı değil ya hangi "
    "nerede kim zaman nasıl neden kaç olduğu tarafından her o ben şey biz yok önce şu sadece bizim hiç",
    # Without dictionaries: here so that they are not taken for others.
    "czech": "a se v na je že to s z do o i jako za by ale pro jsou byl po jeho nebo od až co kde kdy kdo při které "
    "který podle také není sa aj ako ktorý čo sú pre bol každý jsme",
    "estonian": "ja on ei et oli kui ka ta mis oma kes või siis aga mida seda kus millal",
    "polish": "i w na z się nie do to że jest jak po co za od ale przez czy tak był tym dla są które który gdzie "
    "kiedy kto oraz ma już może tylko każdy mamy jego",
    "vietnamese": "và của là có trong được cho không với những các một người này đã ở từ khi năm để nào ai gì bao "
    "nhiêu như thế vào ra đến tại theo về",
}
LATIN_LETTERS = {
    "catalan": {"·": 1.0, "ò": 0.3, "ç": 0.3},
    "czech": dict.fromkeys("řěůťďľĺŕ", 1.0) | {"č": 0.4, "š": 0.3, "ž": 0.3, "ň": 0.5, "ý": 0.4},
    "danish": {"ø": 0.6, "å": 0.4, "æ": 0.6},
    "estonian": {"õ": 0.6, "ä": 0.4},
    "finnish": {"ä": 0.4, "ö": 0.3},
    "french": {"ç": 0.4, "è": 0.4, "ê": 0.5, "œ": 0.8, "ù": 0.4, "î": 0.4, "û": 0.4, "à": 0.4, "é": 0.2},
    "german": {"ß": 1.2, "ä": 0.5, "ö": 0.5, "ü": 0.6},
    "hungarian": {"ő": 1.2, "ű": 1.2, "á": 0.2, "ö": 0.3, "ü": 0.3},
    "italian": {"ò": 0.4, "ù": 0.4, "ì": 0.4, "à": 0.4, "è": 0.4},
    "lithuanian": dict.fromkeys("ėįųū", 1.0) | {"ž": 0.3, "š": 0.3, "č": 0.3},
    "norwegian": {"ø": 0.6, "å": 0.4, "æ": 0.6},
    "polish": dict.fromkeys("łżźśćńąę", 0.8),
    "portuguese": {"ã": 0.9, "õ": 0.6, "ç": 0.4, "ê": 0.3, "á": 0.2, "â": 0.3},
    "romanian": {"ă": 0.6, "ș": 1.0, "ț": 1.0, "ţ": 1.0, "ş": 0.4, "â": 0.3, "î": 0.3},
    "serbian": {"đ": 0.5, "ć": 0.4, "č": 0.4, "š": 0.3, "ž": 0.3},
    "spanish": {"ñ": 0.9, "¿": 1.5, "¡": 1.0, "á": 0.2, "í": 0.3, "ó": 0.3, "ú": 0.3},
    "swedish": {"å": 0.5, "ä": 0.4, "ö": 0.4},
    "turkish": {"ğ": 1.2, "ı": 1.2, "ş": 0.6, "İ": 1.2, "ç": 0.3, "ö": 0.3, "ü": 0.3},
    "vietnamese": dict.fromkeys("ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ", 0.8),
}
CYRILLIC = {
    "russian": "и в не на что с по это как он но они к у из за от его был для так же мы вы все бы где когда кто "
    "какой какая который или если уже при также было быть только",
    "ukrainian": "і в не на що з та це як він але вони до у із за від його був для так ми ви де коли хто який або якщо",
    "bulgarian": "и в не на че с по това как той но те към от за беше са да се е кой кога къде който или ако при ще си",
    "serbian": "и у је да се на су за од са који која као није био или али што како где ко када бити из по ће",
}
CYRILLIC_LETTERS = {
    "russian": {"ы": 0.8, "э": 0.8, "ё": 0.8},
    "ukrainian": dict.fromkeys("іїєґ", 1.0),
    "belarusian": {"ў": 1.5, "і": 0.6, "ы": 0.2},
    "bulgarian": {"ъ": 0.3},
    "serbian": dict.fromkeys("ђћљњџј", 1.0),
    "macedonian": {"ѓ": 1.5, "ќ": 1.5, "ѕ": 1.5, "ј": 0.5},
    "kazakh": dict.fromkeys("әғқңөұүһ", 1.5),
}
DEVANAGARI = {
    "hindi": "है के में की को और से का हैं एक पर यह था ने कि नहीं थी थे क्या कौन कब कहाँ किस लिए भी हो गया",
    "marathi": "आहे आणि मध्ये ते हे या होते आहेत एक की होता च्या ही तर नाही कोण केव्हा",
    "nepali": "छ छन् र को मा लाई भएको गर्न हुन् यो पनि थियो गरेको के कहाँ भने एक बाट हो",
}
HEBREW = {
    "hebrew": "של את לא על הוא זה עם כי היא",
    "yiddish": "און איז דער די צו מיט פון האט אַז נישט",
}
# Of languages that have a script to themselves, whose words are not needed to tell them from others.
ALONE = {
    "arabic": "في من على إلى أن عن مع هو هي التي الذي ما هذا هذه كان لا لم قد كل بين ذلك بعد أو كما هل متى أين كيف "
    "كم ماذا لماذا أي ثم و",
    "greek": "ο η το οι τα του της των τον την και να που με για από σε στο στη στην είναι δεν θα ένα μια ένας ποιο "
    "ποιος ποια πού πότε πώς τι στον στις στους τους τις ως ή ήταν",
}
